package app

import (
	"plat/browser/egress"
	"plat/tell"
)

// Sender tells people, through a guard of its own. Close it.
func (a *App) Sender(version string) (*tell.Sender, error) {
	o, err := a.TellEgress()
	if err != nil {
		return nil, Fail(ExitConfig, "%w", err)
	}
	guard, err := egress.New(o)
	if err != nil {
		return nil, Fail(ExitConfig, "%w", err)
	}
	return tell.New(tell.Options{
		Dial: guard.DialContext, Secret: a.SecretOf, Commands: a.TellCommands,
		Unguarded: len(a.TellPrivate) > 0, Agent: "plat/" + version,
	})
}

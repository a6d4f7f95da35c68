package app

import (
	"net/netip"
	"slices"

	"plat/browser/egress"
	"plat/watch/notify"
)

// Sender tells people, through a guard of its own: at no port of this machine that is closed.
// Close it.
func (a *App) Sender(version string, closed ...uint16) (*notify.Sender, error) {
	return a.sender(version, a.SecretOf, a.TellCommands, closed)
}

// Checker returns a Sender that only checks channels. It accepts unknown secrets and commands:
// those concern the process that sends notifications.
func (a *App) Checker(version string) (*notify.Sender, error) {
	return a.sender(version, func(from, name string) (string, error) {
		if s, err := a.SecretOf(from, name); err == nil {
			return s, nil
		}
		return anySecret, nil
	}, true, nil)
}

// anySecret has the form of a webhook secret; secrets of other channels have no fixed form.
const anySecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func (a *App) sender(version string, secret func(from, name string) (string, error), commands bool, closed []uint16) (*notify.Sender, error) {
	o, err := a.TellEgress()
	if err != nil {
		return nil, err
	}
	guard, err := egress.New(o)
	if err != nil {
		return nil, Fail(ExitUsage, "%w", err)
	}
	for _, port := range closed {
		guard.Forbid(port)
	}
	return notify.New(notify.Options{
		Dial: guard.DialContext, Secret: secret, Commands: commands,
		Unguarded: everywhere(o.AllowPrivate), Agent: "plat/" + version,
	})
}

// everywhere reports whether all private networks of a family are allowed: then nothing is left
// to be guarded.
func everywhere(allowed []netip.Prefix) bool {
	return slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Bits() == 0 })
}

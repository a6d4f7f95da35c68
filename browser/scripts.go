package browser

import (
	"crypto/rand"
	_ "embed"
)

// The parts of the script that runs before a page's own, in every frame. They share
// one scope, which the page cannot see into.
var (
	//go:embed mask.js
	mask string
	//go:embed calm.js
	calm string
	//go:embed stealth.js
	stealthScript string
	//go:embed hardware.js
	hardware string
)

// firstScript is the script that runs before a page's own. The windows of a tab find
// each other by the name: a page that does not know it cannot find them.
func (o *Options) firstScript(name string) string {
	if o.script != "" {
		return o.script
	}
	parts := "const secret = '" + name + "';\n" + mask + "{\n" + calm + "}\n"
	if !o.NoStealth {
		parts += rodScript() + "{\n" + stealthScript + hardware + "}\n"
	}
	return "(() => {\n'use strict';\n" + parts + "})();"
}

// workerScript is the script that runs before a worker's own, with stealth.
func workerScript() string {
	return "(() => {\n'use strict';\nconst secret = '';\n" + mask + hardware + "})();"
}

// newName is a name that nobody can guess.
func newName() string { return "$" + rand.Text() }

package browser

import (
	"crypto/rand"
	_ "embed"
	"fmt"
)

// The parts of the script that runs before a page's own, in every frame. They share
// one scope, which the page cannot see into.
var (
	//go:embed mask.js
	mask string
	//go:embed calm.js
	calm string
	//go:embed hooks.js
	hooks string
	//go:embed frozen.js
	frozen string
	//go:embed stealth.js
	stealthScript string
	//go:embed hardware.js
	hardware string
)

// firstScript is the script that runs before a page's own. What hooks.js returns gets the
// name given, and the windows of a tab find each other by it: a page that does not know it
// cannot find them.
func (o *Options) firstScript(name string) string {
	if o.script != "" {
		return o.script
	}
	parts := "const secret = '" + name + "';\n" + mask + "{\n" + calm + "}\nconst page = (() => {\n" + hooks + "})();\n"
	if !o.NoStealth {
		parts += rodScript() + "{\n" + stealthScript + hardware + "}\n"
	}
	return "const " + name + " = (() => {\n'use strict';\n" + parts + "return page;\n})();"
}

// frozenScript makes chance the same every time.
func frozenScript(seed uint64) string {
	return fmt.Sprintf("(() => {\n'use strict';\nconst secret = '', seed = %d;\n%s%s})();", uint32(seed^seed>>32), mask, frozen)
}

// workerScript is the script that runs before a worker's own, with stealth.
func workerScript() string {
	return "(() => {\n'use strict';\nconst secret = '';\n" + mask + hardware + "})();"
}

// newName is a name that nobody can guess.
func newName() string { return "$" + rand.Text() }

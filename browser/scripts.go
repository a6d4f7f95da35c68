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
	stealth string
)

// firstScript is the script that runs before a page's own. What hooks.js returns gets the
// name given: a page that does not know it cannot find it.
func firstScript(name string, hidden bool) string {
	parts := mask + "{\n" + calm + "}\nconst page = (() => {\n" + hooks + "})();\n"
	if hidden {
		parts += "{\n" + stealth + "}\n"
	}
	return "const " + name + " = (() => {\n'use strict';\n" + parts + "return page;\n})();"
}

// frozenScript makes chance the same every time.
func frozenScript(seed uint64) string {
	return fmt.Sprintf("(() => {\n'use strict';\nconst seed = %d;\n%s%s})();", uint32(seed^seed>>32), mask, frozen)
}

// newName is a name that nobody can guess.
func newName() string { return "$" + rand.Text() }

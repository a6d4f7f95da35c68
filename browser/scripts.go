package browser

import _ "embed"

// The parts of the script that runs before a page's own, in every frame. They share
// one scope, which the page cannot see into.
var (
	//go:embed mask.js
	mask string
	//go:embed calm.js
	calm string
	//go:embed stealth.js
	stealth string
)

// firstScript is the script that runs before a page's own.
func firstScript(hidden bool) string {
	parts := mask + calm
	if hidden {
		parts += stealth
	}
	return "(() => {\n'use strict';\n" + parts + "})();"
}

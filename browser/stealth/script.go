package stealth

import _ "embed"

var (
	// Mask is JavaScript that makes replaced functions appear native. It expects
	// a string secret that no page knows, or '', and is the first of the scripts that share
	// its scope.
	//
	//go:embed mask.js
	Mask string
	//go:embed stealth.js
	window string
	//go:embed hardware.js
	hardware string
)

// Page returns the part for windows of the script that runs before a page's own. It follows
// [Mask], in one scope that the page cannot reach.
func Page() string { return rodScript() + "{\n" + window + hardware + "}\n" }

// Worker is the script that runs before a worker's own.
func Worker() string {
	return "(() => {\n'use strict';\nconst secret = '';\n" + Mask + hardware + "})();"
}

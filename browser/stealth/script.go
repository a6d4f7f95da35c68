package stealth

//go:generate go run ./gorod

import (
	_ "embed"
	"strings"
)

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

	// gorod is three parts of the script of go-rod/stealth, with its licence.
	//
	//go:embed gorod.js
	gorod string
)

// Page returns the part for windows of the script that runs before a page's own. It follows
// [Mask], in one scope that the page cannot reach.
func Page() string { return gorodScript + "{\n" + window + hardware + "}\n" }

// Worker is the script that runs before a worker's own.
func Worker() string {
	return "(() => {\n'use strict';\nconst secret = '';\n" + Mask + hardware + "})();"
}

// gorodScript is gorod without the licence, which no page needs.
var gorodScript = gorod[strings.Index(gorod, "const rod = "):]

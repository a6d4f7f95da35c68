package tab

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"

	"github.com/chromedp/cdproto/page"

	"plat/browser/devtools"
	"plat/browser/stealth"
)

// The parts of the script that runs before a page's own, in every frame. They share
// one scope, which the page cannot reach.
var (
	//go:embed calm.js
	calm string
	//go:embed hooks.js
	hooks string
	//go:embed frozen.js
	frozen string
)

// firstScript is the script that runs before a page's own. The result of hooks.js is stored under
// the given name, by which the windows of a tab find each other: a page that does not know the
// name cannot find them.
func (o *Options) firstScript(name string) string {
	if o.Script != "" {
		return o.Script
	}
	parts := "const secret = '" + name + "';\n" + stealth.Mask + "{\n" + calm + "}\nconst page = (() => {\n" + hooks + "})();\n"
	if !o.NoStealth {
		parts += stealth.Page()
	}
	return "const " + name + " = (() => {\n'use strict';\n" + parts + "return page;\n})();"
}

// Freeze makes the random numbers of later pages reproducible, by the seed.
func (t *Tab) Freeze(ctx context.Context, seed uint64) error {
	_, err := devtools.Call(ctx, t.Session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: frozenScript(seed)})
	return err
}

// frozenScript makes chance the same every time.
func frozenScript(seed uint64) string {
	return fmt.Sprintf("(() => {\n'use strict';\nconst secret = '', seed = %d;\n%s%s})();", uint32(seed^seed>>32), stealth.Mask, frozen)
}

// newName is a name that cannot be guessed.
func newName() string { return "$" + rand.Text() }

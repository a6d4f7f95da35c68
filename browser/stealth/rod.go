package stealth

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-rod/stealth"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// rodParts are the parts of go-rod/stealth's script that plat runs, each identified by a property
// that only it writes, in the script's order. The other parts are not run; docs/stealth.md
// gives the reasons, with the checks of the battery.
var rodParts = [...]string{"window.chrome.app = ", "window.chrome.csi = ", "window.chrome.loadTimes = "}

// rodScript defines rod, which runs rodParts. The original script is a list of calls that receive
// each function as a string, with all tools as strings too, and evaluate them: 180 KB for each
// frame, and without effect on a page whose policy forbids eval. Here the functions are code again,
// and their tools are those of mask.js, which use no proxies.
var rodScript = sync.OnceValue(func() string {
	parts, err := splitRod(stealth.JS)
	if err != nil {
		panic(err) // the script is part of the program, and a test reads it
	}
	var b strings.Builder
	b.WriteString(`const rod = () => {
const utils = {
  stripErrorWithAnchor: (e) => e,
  patchToString: (f) => native.set(f, ` + "`function ${f.name}() { [native code] }`" + `),
  patchToStringNested(o) { for (const k in o) if (typeof o[k] === 'function') utils.patchToString(o[k]); },
};
`)
	for _, mark := range rodParts {
		found := false
		for _, p := range parts {
			if strings.Contains(p.function, mark) {
				fmt.Fprintf(&b, "(%s)(utils, ...%s);\n", p.function, p.arguments)
				found = true
			}
		}
		if !found {
			panic(fmt.Sprintf("go-rod/stealth has no part with %q", mark))
		}
	}
	b.WriteString("};\n")
	return b.String()
})

// rodPart is one of the calls of go-rod/stealth's script, as source.
type rodPart struct{ function, arguments string }

// splitRod reads the parts from the objects that hold them.
func splitRod(script string) ([]rodPart, error) {
	tree, err := js.Parse(parse.NewInputString(script), js.Options{})
	if err != nil {
		return nil, fmt.Errorf("read go-rod/stealth: %w", err)
	}
	w := &rodWalker{}
	js.Walk(w, tree)
	if w.err == nil && len(w.parts) == 0 {
		w.err = fmt.Errorf("read go-rod/stealth: there are no parts")
	}
	return w.parts, w.err
}

type rodWalker struct {
	parts []rodPart
	err   error
}

func (w *rodWalker) Exit(js.INode) {}

func (w *rodWalker) Enter(n js.INode) js.IVisitor {
	o, ok := n.(*js.ObjectExpr)
	if !ok {
		return w
	}
	var p rodPart
	for _, item := range o.List {
		if item.Name == nil {
			continue
		}
		switch string(item.Name.Literal.Data) {
		case "_mainFunction":
			l, ok := item.Value.(*js.LiteralExpr)
			if !ok || l.TokenType != js.StringToken {
				return nil // the function that destructures the object
			}
			if p.function, w.err = unquote(string(l.Data)); w.err != nil {
				return nil
			}
		case "_args":
			var b strings.Builder
			item.Value.JS(&b)
			p.arguments = b.String()
		}
	}
	if p.function == "" {
		return w
	}
	w.parts = append(w.parts, p)
	return nil
}

// unquote reads a string of JavaScript.
func unquote(s string) (string, error) {
	var b strings.Builder
	for body := s[1 : len(s)-1]; body != ""; {
		if strings.HasPrefix(body, `\`) && len(body) > 1 && strings.IndexByte("'\"`$/", body[1]) >= 0 {
			b.WriteByte(body[1])
			body = body[2:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(body, 0)
		if err != nil {
			return "", fmt.Errorf("read go-rod/stealth: %q: %w", body[:min(20, len(body))], err)
		}
		b.WriteRune(r)
		body = rest
	}
	return b.String(), nil
}

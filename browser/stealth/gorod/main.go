// Gorod writes gorod.js, the parts of go-rod/stealth's script that plat runs: see docs/stealth.md. The
// program itself has no need of go-rod.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/go-rod/stealth"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// notice is the licence of go-rod/stealth.
const notice = `// Made by "go generate ./browser/stealth" from the script of github.com/go-rod/stealth, under the MIT License.
//
// Copyright (c) 2020 Rod
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation
// the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
// to permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of
// the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
// THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
// TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
`

// wanted identify the parts that plat runs, each by an assignment that only it has, in the order of the
// script. docs/stealth.md says why the remaining parts are not run.
var wanted = [...]string{"window.chrome.app = ", "window.chrome.csi = ", "window.chrome.loadTimes = "}

func main() {
	log.SetFlags(0)
	text, err := script(stealth.JS)
	if err == nil {
		err = os.WriteFile("gorod.js", []byte(text), 0o644)
	}
	if err != nil {
		log.Fatal("gorod: ", err)
	}
}

// script returns a script that defines rod, which runs the wanted parts of go-rod's. That is a list of calls
// that get each function as a string, with all tools as strings again, and evaluate them: 180 kB for each
// frame, and without effect on pages whose policy forbids eval. In the result the functions are code, and
// their tools are those of mask.js, which need no proxies.
func script(all string) (string, error) {
	parts, err := splitRod(all)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(notice + `const rod = () => {
const utils = {
  stripErrorWithAnchor: (e) => e,
  patchToString: (f) => native.set(f, ` + "`function ${f.name}() { [native code] }`" + `),
  patchToStringNested(o) { for (const k in o) if (typeof o[k] === 'function') utils.patchToString(o[k]); },
};
`)
	for _, mark := range wanted {
		found := false
		for _, p := range parts {
			if strings.Contains(p.function, mark) {
				fmt.Fprintf(&b, "(%s)(utils, ...%s);\n", p.function, p.arguments)
				found = true
			}
		}
		if !found {
			return "", fmt.Errorf("go-rod/stealth has no part with %q", mark)
		}
	}
	b.WriteString("};\n")
	return b.String(), nil
}

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

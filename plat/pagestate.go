package plat

import (
	"encoding/json"
	"fmt"
	"strings"
)

// PageStateURL is the URL of the resource that holds a [PageState], of type application/json.
const PageStateURL = "plat:state"

// PageState is what the look of a page owes to its scripts and to redirects, and what neither its DOM
// nor its files tell. Like rules that scripts insert ([StylePlace]), it is kept with the resources.
// Paths are those of [Block.Path]. Unknown fields are ignored.
type PageState struct {
	// Documents are the documents, of the page and of its frames, whose base is not that of their
	// markup, because they were redirected, or called pushState, and those that are not in UTF-8.
	Documents []DocumentState `json:"documents,omitempty"`

	// Sheets maps the URLs of style sheets that were redirected to their final URLs, to which their
	// references are relative.
	Sheets map[string]string `json:"sheets,omitempty"`

	// Media are media queries of style sheets (of <link> and <style> elements) that scripts have
	// changed: "not all" for one that is switched off.
	Media []PlacedText `json:"media,omitempty"`

	// Styles are declarations that hold for an element because of an animation that scripts began, or that make a
	// replay show what no declaration of the page says: how far the box around the element is scrolled, and the
	// backdrop of a modal dialog.
	Styles []PlacedText `json:"styles,omitempty"`

	// Controls are the form controls that show something else than their markup says.
	Controls []Control `json:"controls,omitempty"`

	// Opened are the elements that scripts have put above the page, "modal" for a dialog, or "popover", and the "target"
	// of each document's fragment.
	Opened []PlacedText `json:"opened,omitempty"`

	// States are those of elements that only scripts and users make, and for which rules may select: "user-invalid", "user-valid",
	// and "state-NAME" of custom elements. Several stand with blanks between them.
	States []PlacedText `json:"states,omitempty"`

	// Begun are the animations of drawings that scripts or events have begun, with their attribute begin as it would be for a
	// drawing that appears now: "-2s" for one that began two seconds ago.
	Begun []PlacedText `json:"begun,omitempty"`

	// Defined are the names of the defined custom elements; nil: unknown, or the page has no such elements.
	Defined []string `json:"defined,omitzero"`

	// Broken are the URLs of images that the page showed as broken, and that are not among the resources.
	Broken []string `json:"broken,omitempty"`

	// Selected are the attributes by which rules of the style sheets select, of those that a replay changes or leaves
	// out. Those by whose values they select, or which they print, are there once more, with "=" behind the name.
	Selected []string `json:"selected,omitempty"`

	// Unstyled are the elements whose attribute style the page's security policy has refused.
	Unstyled [][]int32 `json:"unstyled,omitempty"`

	// Modes are the documents that are laid out in another mode than their document type says, because a script has removed or
	// added that: "quirks" or "standards".
	Modes []PlacedText `json:"modes,omitempty"`

	// Languages are those of documents by the headers of their responses or by their markup.
	Languages []PlacedText `json:"languages,omitempty"`

	// Scriptless: the page's security policy is a sandbox without scripts.
	Scriptless bool `json:"scriptless,omitempty"`

	// Refused are the files that the security policies of documents have refused to load, for each document.
	Refused []RefusedFiles `json:"refused,omitempty"`
}

// IsSelectable reports whether an attribute can be in PageState.Selected: a replay may change or leave it out.
func IsSelectable(name string) bool {
	switch name {
	case "action", "archive", "attributionsrc", "autofocus", "autoplay", "background", "checked", "classid", "codebase", "crossorigin", "data",
		"formaction", "href", "imagesrcset", "integrity", "loading", "lowsrc", "manifest", "media", "nonce", "ping", "poster", "sandbox", "selected",
		"src", "srcdoc", "srcset", "style", "target", "value":
		return true
	}
	return len(name) > len("on") && len(name) < 40 && strings.HasPrefix(name, "on")
}

// DocumentState is the address of a document.
type DocumentState struct {
	Path    []int32  `json:"path"`              // empty: the page's own document
	URL     string   `json:"url"`               // when it was captured
	Base    string   `json:"base"`              // to which its references are relative, at that time
	Others  []string `json:"others,omitempty"`  // to which they were before, as images show
	From    string   `json:"from,omitempty"`    // the final URL of its response, if that is a different one
	Charset string   `json:"charset,omitempty"` // its character encoding, in which queries of references are; empty: UTF-8
}

// RefusedFiles are files that a document was not allowed to load: their URLs, or "data" or "blob" for all URLs of that scheme.
// Other documents of the page may have loaded them.
type RefusedFiles struct {
	Path   []int32  `json:"path"`
	Images []string `json:"images,omitempty"`
	Fonts  []string `json:"fonts,omitempty"`
	Sheets []string `json:"sheets,omitempty"` // that other style sheets import, or a <link> names
}

// PlacedText is a text for one element.
type PlacedText struct {
	Path []int32 `json:"path"`
	Text string  `json:"text"`
}

// Control is the state of a form control. Values of passwords and of hidden controls are never kept.
type Control struct {
	Path  []int32 `json:"path"`
	Value *string `json:"value,omitempty"` // of an <input> or <textarea>; nil: as its markup says
	On    *bool   `json:"on,omitempty"`    // whether it is checked, or, for an <option>, selected; nil: as its markup says
}

// Empty reports whether there is nothing to keep.
func (s *PageState) Empty() bool {
	return len(s.Documents) == 0 && len(s.Sheets) == 0 && len(s.Media) == 0 && len(s.Styles) == 0 && s.Defined == nil && len(s.Broken) == 0 && len(s.Selected) == 0 &&
		len(s.Controls) == 0 && len(s.Opened) == 0 && len(s.Unstyled) == 0 && len(s.Refused) == 0 && len(s.Modes) == 0 && len(s.Begun) == 0 && len(s.States) == 0 && len(s.Languages) == 0 && !s.Scriptless
}

// Resource returns the resource that holds s.
func (s *PageState) Resource() Resource {
	data, err := json.Marshal(s)
	if err != nil {
		data = []byte("{}") // cannot happen: it has only texts and numbers
	}
	return Resource{URL: PageStateURL, Type: "application/json", Size: int64(len(data)), Hash: HashOf(data), Data: data}
}

// UnmarshalPageState reads the data of the resource. It returns ErrCorrupt for anything else.
func UnmarshalPageState(data []byte) (*PageState, error) {
	s := &PageState{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("state of a page: %w: %w", err, ErrCorrupt)
	}
	return s, nil
}

package resources

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// charsetRule matches the rule with the encoding of a style sheet (CSS Syntax, section 3.2).
var charsetRule = regexp.MustCompile(`^@charset "([A-Za-z0-9._:-]{1,40})";`)

// sheetText returns a style sheet in UTF-8: its bytes if they are that, or else decoded by its own rule, or as
// windows-1252. What its server says of the encoding is not known here.
func sheetText(b []byte) []byte {
	if utf8.Valid(b) {
		return bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	}
	label := "windows-1252"
	if m := charsetRule.FindSubmatch(b); m != nil {
		label = string(m[1])
	}
	if e, _ := charset.Lookup(label); e != nil {
		if text, err := e.NewDecoder().Bytes(b); err == nil {
			return text
		}
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// resourceContent reads an answer of Page.getResourceContent.
func resourceContent(b []byte) ([]byte, error) {
	var content []byte
	encoded := false
	c := devtools.NewCursor(b)
	c.Object(func(name []byte) {
		switch string(name) {
		case "content":
			content = c.Text()
		case "base64Encoded":
			encoded = c.Boolean()
		default:
			c.Skip()
		}
	})
	if c.Err() != nil {
		return nil, capture.ErrMalformed
	}
	if !encoded {
		return content, nil
	}
	return base64.StdEncoding.AppendDecode(nil, content)
}

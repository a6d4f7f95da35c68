package browser

import (
	"context"
	"encoding/json"
	"strings"
)

// mayBeStyled reports whether files of a media type may be XML with a style sheet.
func mayBeStyled(media string) bool {
	return media == "text/xml" || media == "application/xml" || strings.HasSuffix(media, "+xml") && media != "application/xhtml+xml" && media != "image/svg+xml"
}

// sheetsOfXML returns the rules of the style sheets of CSS to which a file of XML refers by <?xml-stylesheet?>
// (Associating Style Sheets with XML documents 1.0); none if it is a page, a picture, or a document that Chrome makes.
func (v *visit) sheetsOfXML(ctx context.Context) (sheets []string, err error) {
	world, err := v.World(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := v.Evaluate(ctx, world, xmlSheets)
	if err != nil {
		return nil, err
	}
	return sheets, json.Unmarshal(raw, &sheets)
}

// xmlSheets reads the rules. Their references become absolute, for the page has only its own base.
const xmlSheets = `(() => {
	const root = document.documentElement, sheets = [];
	if (!root || ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"].includes(root.namespaceURI)) return sheets;
	for (const sheet of document.styleSheets) {
		if (!sheet.ownerNode || sheet.ownerNode.nodeType !== Node.PROCESSING_INSTRUCTION_NODE || sheet.disabled) continue;
		let text = "";
		try {
			for (const rule of sheet.cssRules) text += rule.cssText + "\n";
		} catch { continue } // of a different origin
		text = text.replace(/url\("([^"]*)"\)/g, (all, to) => { try { return 'url("' + new URL(to, sheet.href || document.baseURI) + '")' } catch { return all } });
		sheets.push(sheet.media.mediaText ? "@media " + sheet.media.mediaText + " {" + text + "}" : text);
	}
	return sheets;
})()`

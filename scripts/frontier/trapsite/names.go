package trapsite

// names are those of paths and parameters, and how traps are built.
type names struct {
	calendar, forum, shop, wiki, help string // first segments of the traps

	year, month, day string // parameters, if dates are in the query
	dateQuery        bool
	session          string // parameter
	sessionInPath    bool   // as /path;name=ID
	facets           []facet
	sort, view, size string // parameters of the shop
	facetSeparator   string // between name and value in a path
	page             string // parameter of pages of lists
	track            string // parameter without effect, on pages with a canonical link
	print            string // first segment of print views
	mirror           string // first segment of copies
	language         string // parameter with a default
	redirect         string // first segment of addresses that redirect
	id, category     string // parameters of real pages
	filed            string // begins the sentence with a page's marker
}

// facet is a property of the shop's items.
type facet struct {
	name   string
	values []string
	query  bool // as a parameter; else as a segment of the path
}

// newNames chooses names: the pools' next ones for the next seed, so that sites of
// neighbouring seeds share no name of a pool.
func newNames(seed uint64, words []string) names {
	pick := func(pool ...string) string { return pool[seed%uint64(len(pool))] }
	own := func(i int) string { return words[i] } // names that are not in any list
	n := names{
		calendar: pick("events", "calendar", own(0), "agenda", "termine"),
		forum:    pick("forum", "community", own(1), "boards", "portal"),
		shop:     pick("shop", "catalog", own(2), "products", "collection"),
		wiki:     pick("wiki", "notes", own(3), "guide", "kb"),
		help:     pick("help", "support", own(4), "topics", "answers"),

		year: pick("year", "y", "jahr"), month: pick("month", "m", "monat"), day: pick("day", "d", "tag"),
		dateQuery: seed%2 == 0,
		session:   pick("sid", "jsessionid", own(5), "PHPSESSID", "token"),
		sort:      pick("sort", "order", "o", own(6)), view: pick("view", "display", "layout", own(7)), size: pick("per_page", "limit", "ps", own(8)),
		facetSeparator: pick("-", "/", ":", "_"),
		page:           pick("page", "p", "start", "pg"),
		track:          pick("ref", "src", own(9), "from"),
		print:          pick("print", "amp", own(10), "mobile"),
		mirror:         pick("index.php", "mirror", own(11), "en"),
		language:       pick("lang", "hl", own(12), "locale"),
		redirect:       pick("go", "r", own(13), "link"),
		id:             pick("id", "nr", own(14), "item"), category: pick("cat", "group", own(15), "c"),
		filed: pick("Filed under the words ", "The index lists it as ", "Its keywords are ", "Registered as "),
	}
	n.sessionInPath = n.session == "jsessionid"
	for i, pool := range [][]string{{"color", "colour", own(16), "shade"}, {"size", "fit", own(17), "format"}, {"brand", "maker", own(18), "label"},
		{"material", "fabric", own(19), "finish"}, {"price", "range", own(20), "budget"}} {
		f := facet{name: pick(pool...), query: (uint64(i)+seed)%2 == 0}
		f.values = append(f.values, words[40+8*i:48+8*i]...)
		n.facets = append(n.facets, f)
	}
	return n
}

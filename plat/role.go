package plat

// Role is the purpose of a block on its page. Parts of a region have its role: the list of links in a
// menu is navigation.
type Role string

// The roles. WAI-ARIA's landmarks main, navigation, banner, contentinfo and complementary
// are the first five.
const (
	RoleContent       Role = "content"
	RoleNavigation    Role = "navigation"
	RoleBanner        Role = "banner"
	RoleFooter        Role = "footer"
	RoleSidebar       Role = "sidebar"
	RoleAdvertisement Role = "advertisement"
	RoleOverlay       Role = "overlay" // in front of the page: a dialog, a notice
	RoleOther         Role = "other"   // the whole page, and blocks without visible content
)

// Holds is the kind of content of a block, regardless of its role: a menu may be a list, and a
// sidebar may hold a form.
type Holds string

// The kinds of content.
const (
	HoldsText     Holds = "text"
	HoldsHeading  Holds = "heading"
	HoldsList     Holds = "list"
	HoldsTable    Holds = "table"
	HoldsForm     Holds = "form"
	HoldsMedia    Holds = "media"
	HoldsComments Holds = "comments"
	HoldsOther    Holds = "other"
)

// ClearForm is the minimum share of the odds at which a block around the content is labelled as a
// form: a search box is a form first, and part of a header second.
const ClearForm = .8

// LabelOf returns the label that summarizes a block's role and its kind of content; share is the
// share of holds in the odds of all kinds of content, 0 to 1.
//
// Content is labelled by its kind, any other block by its role, unless it is clearly a form. An
// overlay is always labelled as an overlay.
func LabelOf(role Role, holds Holds, share float64) Label {
	switch {
	case role == RoleContent:
		return labelOfContent(holds)
	case role == RoleOverlay:
		return LabelOverlay
	case role == RoleOther:
		return LabelOther
	case holds == HoldsForm && share >= ClearForm:
		return LabelForm
	case role == RoleBanner:
		return LabelHeader
	}
	return Label(role) // equal names
}

func labelOfContent(holds Holds) Label {
	if holds == HoldsText {
		return LabelMain
	}
	return Label(holds) // equal names
}

// Implied returns the role and the kind of content that the block's label implies, empty where it
// does not: a menu may hold anything, and a form may be part of any region. A block labelled "other"
// is content of no kind; with a confidence of 1 it is the whole page or shows nothing.
//
// Archives written before both were stored rely on this, and stores today keep only values that
// differ from it: a change here would change the meaning of stored blocks.
func (b *Block) Implied() (Role, Holds) {
	switch l := b.Label; l {
	case LabelMain:
		return RoleContent, HoldsText
	case LabelHeading, LabelList, LabelTable, LabelMedia, LabelComments:
		return RoleContent, Holds(l)
	case LabelOther:
		if b.Confidence == 1 {
			return RoleOther, HoldsOther
		}
		return RoleContent, HoldsOther
	case LabelForm:
		return "", HoldsForm
	case LabelHeader:
		return RoleBanner, ""
	case LabelNavigation, LabelFooter, LabelSidebar, LabelAdvertisement, LabelOverlay:
		return Role(l), ""
	}
	return "", ""
}

// Beside returns details of a block that its label does not express: the content of a region around
// the main content, "holds list", or the region of a form, "in banner". It is empty if the label
// expresses all.
func (b *Block) Beside() string {
	role, holds := b.Implied()
	switch {
	case b.Holds != holds && b.Holds != "" && b.Holds != HoldsOther:
		return "holds " + string(b.Holds)
	case b.Role != role && b.Role != "" && b.Role != RoleContent:
		return "in " + string(b.Role)
	}
	return ""
}

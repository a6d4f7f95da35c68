package plat

// Role is what a block is for on its page. Parts of a region have its role: the list of
// links in a menu is navigation.
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
	RoleOverlay       Role = "overlay" // lies over the page: a dialog, a notice
	RoleOther         Role = "other"   // the whole page, and what shows nothing
)

// Holds is what a block holds, whatever its role: a menu may be a list, and a sidebar hold
// a form.
type Holds string

// What blocks hold.
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

// ClearForm is the share of the odds from which a block around the content is labelled a
// form: a search box is that first, and part of a header second.
const ClearForm = .8

// LabelOf returns the label that sums up what a block is for and what it holds; share is
// that of holds among the odds of all that the block may hold, 0 to 1.
//
// Content is labelled by what it holds, all else by its role, unless it is clearly a form.
// What lies over the page is an overlay in any case.
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
	return Label(role) // they have the same names
}

func labelOfContent(holds Holds) Label {
	if holds == HoldsText {
		return LabelMain
	}
	return Label(holds) // they have the same names
}

// Implied returns the block's role and what it holds as far as its label tells, and empty
// values where that does not: a menu may hold anything, and a form be part of anything.
// What is labelled other is content of no kind, but the whole page and what shows nothing,
// which are labelled so with a confidence of 1.
//
// Archives written before both were kept mean that, and today's store only what differs: a
// change of it would change what they say.
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

// Beside says in words what is known of a block beside its label: what part of a page that
// is around the content holds, "holds list", or where a form is, "in banner". It is empty if
// the label says all.
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

package plat_test

import (
	"slices"
	"testing"

	"plat/plat"
)

func TestLabelOfRoleAndContent(t *testing.T) {
	for _, c := range []struct {
		role   plat.Role
		holds  plat.Holds
		share  float64
		want   plat.Label
		beside string
	}{
		{plat.RoleContent, plat.HoldsText, .5, plat.LabelMain, ""},
		{plat.RoleContent, plat.HoldsHeading, .5, plat.LabelHeading, ""},
		{plat.RoleContent, plat.HoldsList, .5, plat.LabelList, ""},
		{plat.RoleContent, plat.HoldsTable, .5, plat.LabelTable, ""},
		{plat.RoleContent, plat.HoldsForm, .5, plat.LabelForm, ""},
		{plat.RoleContent, plat.HoldsMedia, .5, plat.LabelMedia, ""},
		{plat.RoleContent, plat.HoldsComments, .5, plat.LabelComments, ""},
		{plat.RoleContent, plat.HoldsOther, .5, plat.LabelOther, ""},
		{plat.RoleNavigation, plat.HoldsList, 1, plat.LabelNavigation, "holds list"},
		{plat.RoleNavigation, plat.HoldsForm, .79, plat.LabelNavigation, "holds form"},
		{plat.RoleNavigation, plat.HoldsForm, .8, plat.LabelForm, "in navigation"},
		{plat.RoleBanner, plat.HoldsForm, .5, plat.LabelHeader, "holds form"},
		{plat.RoleBanner, plat.HoldsForm, .95, plat.LabelForm, "in banner"},
		{plat.RoleBanner, plat.HoldsText, .95, plat.LabelHeader, "holds text"},
		{plat.RoleFooter, plat.HoldsOther, 1, plat.LabelFooter, ""},
		{plat.RoleSidebar, plat.HoldsList, 1, plat.LabelSidebar, "holds list"},
		{plat.RoleAdvertisement, plat.HoldsMedia, 1, plat.LabelAdvertisement, "holds media"},
		{plat.RoleOverlay, plat.HoldsForm, 1, plat.LabelOverlay, "holds form"},
		{plat.RoleOther, plat.HoldsOther, 1, plat.LabelOther, ""},
	} {
		b := plat.Block{Role: c.role, Holds: c.holds, Label: plat.LabelOf(c.role, c.holds, c.share), Confidence: .9}
		if c.role == plat.RoleOther {
			b.Confidence = 1
		}
		if b.Label != c.want || !slices.Contains(plat.Labels, b.Label) {
			t.Errorf("%s holding %s (%g) is labelled %s, want %s", c.role, c.holds, c.share, b.Label, c.want)
		}
		// The label implies nothing wrong.
		role, holds := b.Implied()
		if role != "" && role != c.role || holds != "" && holds != c.holds || role == "" && holds == "" {
			t.Errorf("%s holding %s is labelled %s, which implies %q holding %q", c.role, c.holds, b.Label, role, holds)
		}
		if got := b.Beside(); got != c.beside {
			t.Errorf("%s holding %s, labelled %s: beside it is %q, want %q", c.role, c.holds, b.Label, got, c.beside)
		}
		// A version without roles has no more information than its label.
		b.Role, b.Holds = role, holds
		if got := b.Beside(); got != "" {
			t.Errorf("before both were kept: labelled %s, beside it is %q", b.Label, got)
		}
	}
	if role, holds := (&plat.Block{}).Implied(); role != "" || holds != "" {
		t.Errorf("no label implies %q holding %q", role, holds)
	}
}

package calendar

import "testing"

func TestWhichDaysThereAre(t *testing.T) {
	for d, want := range map[Day]bool{
		{1990, 1, 1}: true, {1989, 12, 31}: false, {2100, 12, 31}: true, {2101, 1, 1}: false,
		{2026, 0, 1}: false, {2026, 13, 1}: false, {2026, 12, 1}: true, {2026, 1, 0}: false, {2026, 1, 31}: true, {2026, 1, 32}: false,
		{2026, 4, 30}: true, {2026, 4, 31}: false, {2026, 2, 28}: true, {2026, 2, 29}: false, {2024, 2, 29}: true, {2100, 2, 29}: false,
	} {
		if d.OK() != want {
			t.Errorf("%v: %v", d, d.OK())
		}
	}
	if got := (Day{2026, 1, 2}).String(); got != "2026-01-02" {
		t.Errorf("a day is written as %s", got)
	}
}

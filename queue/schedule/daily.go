package schedule

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"plat/plat"
)

// timeOfDay matches "07:30", "daily 07:30", "7:30 Europe/Berlin".
var timeOfDay = regexp.MustCompile(`^(?:daily )?(\d{1,2}):(\d{2})(?: (\S+))?$`)

// Daily returns the schedule of a visit every day at a time of day: "07:30 Europe/Berlin", or "07:30" in the
// time zone of this machine. is is false if the text is not a time of day.
func Daily(text string) (s plat.Schedule, is bool, err error) {
	m := timeOfDay.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return s, false, nil
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	if hour > 23 || minute > 59 {
		return s, true, fmt.Errorf("time of day %q: write 00:00 to 23:59", text)
	}
	zone := m[3]
	if zone == "" {
		if zone = localZone(); zone == "" {
			return s, true, fmt.Errorf("time of day %q: the time zone of this machine has no name; write it too, as %s:%s Europe/Berlin", text, m[1], m[2])
		}
	}
	if zoneOf(zone) == nil {
		return s, true, fmt.Errorf("time of day %q: time zone %q is not known; write it as Europe/Berlin, or UTC", text, zone)
	}
	p := Slots{Of: 1, Chosen: []int{0}, At: time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute, Zone: zone}
	return plat.Schedule{Policy: "plan", Every: 24 * time.Hour, Slots: p.String()}, true, nil
}

// DailyOf returns the input of Daily: "07:30 Europe/Berlin"; empty for other schedules.
func DailyOf(s plat.Schedule) string {
	p, err := ParseSlots(s.Slots)
	if err != nil || p.Zone == "" || p.Of != 1 || s.Every != 24*time.Hour {
		return ""
	}
	return fmt.Sprintf("%02d:%02d %s", int(p.At.Hours()), int(p.At.Minutes())%60, p.Zone)
}

// localZone returns the name of this machine's time zone, empty if it has none.
func localZone() string {
	if name := time.Local.String(); name != "Local" {
		return name // of the variable TZ
	}
	if to, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(to, "/zoneinfo/"); ok {
			return name
		}
	}
	if text, err := os.ReadFile("/etc/timezone"); err == nil {
		if name := strings.TrimSpace(string(text)); zoneOf(name) != nil {
			return name
		}
	}
	if _, offset := time.Now().Zone(); offset == 0 {
		return "UTC"
	}
	return ""
}

var zones sync.Map // *time.Location by name

// zoneOf returns a time zone by its name, nil if it is not known here.
func zoneOf(name string) *time.Location {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil
	}
	zones.Store(name, z)
	return z
}

// wall returns the time that a clock in a zone shows, as if it were UTC.
func wall(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// instant returns when a clock in a zone shows a time: the inverse of wall. A time that a clock skips in
// spring comes an hour later.
func instant(shown time.Time, zone *time.Location) time.Time {
	return time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), zone).UTC()
}

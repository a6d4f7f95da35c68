package stealth

import (
	"fmt"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

// mouseSettings describe a mouse: without it, media queries report that there is no pointing
// device. 4 is a fine pointer, 2 is one that hovers.
const mouseSettings = "primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2"

// Flags returns the flags that hide marks without a script, so that no page can detect the
// change. width and height are the window's, in px.
func Flags(width, height int) []string {
	return []string{
		"--disable-blink-features=AutomationControlled", // navigator.webdriver is false
		"--blink-settings=" + mouseSettings,
		// A screen that the window and its frame fit on.
		fmt.Sprintf("--screen-info={%dx%d}", max(1920, width+32), max(1200, height+128)),
	}
}

// permissions are those of a browser before any prompt, except for notifications: headless
// Chrome denies them regardless of the setting, but reports elsewhere that it would prompt.
var permissions = [...]struct {
	name    string
	setting browser.PermissionSetting
}{
	{"notifications", browser.PermissionSettingDenied},
	{"accelerometer", browser.PermissionSettingGranted},
	{"gyroscope", browser.PermissionSettingGranted},
	{"magnetometer", browser.PermissionSettingGranted},
	{"background-sync", browser.PermissionSettingGranted},
}

// Permissions returns the parameters of Browser.setPermission for a new browser context, one
// command each.
func Permissions(context cdp.BrowserContextID) (all []browser.SetPermissionParams) {
	for _, p := range permissions {
		all = append(all, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: p.name}, Setting: p.setting, BrowserContextID: context,
		})
	}
	return all
}

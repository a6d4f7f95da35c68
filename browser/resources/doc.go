// Package resources collects the resources that determine a page's appearance: style sheets, fonts
// and images ([Take]), rules inserted by scripts, and drawings of scripts on canvases ([Canvases]).
//
// It sends no requests to the network: resources that Chrome has dropped are listed as omitted, and
// so are those over the limits in size and time. The names of rules and canvases are those of
// [plat.StylePlace] and [plat.CanvasPlace].
package resources

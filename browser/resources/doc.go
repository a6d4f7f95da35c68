// Package resources takes from a page what it loaded to look as it does: style sheets, fonts and
// images ([Take]), the rules that scripts put in, and what scripts drew on canvases ([Canvases]).
//
// Nothing is asked of the network again: what Chrome does not have any more is listed as left out,
// as is what is over the limits in size and time. The names of rules and canvases are those of
// [plat.StylePlace] and [plat.CanvasPlace].
package resources

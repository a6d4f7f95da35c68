// Package requests lists the resources that a page has loaded, except its own documents, with the
// headers that tell whether they have changed.
//
// There are two sources. For an https page it is Chrome's Network domain, which is always enabled
// there; a [Log] gathers its events. For an http page it is the guard: all plain traffic goes
// through the page's lane ([Cache.FromLane]). The lane cannot see requests in tunnels, by https,
// nor those answered from the tab's cache, for which the page's own list of resources is queried.
package requests

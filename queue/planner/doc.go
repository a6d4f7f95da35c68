// Package planner asks a schedule's policy when a URL is visited again, and whether a visit
// that is due is made now, with what a fleet shares of budgets and sites. A policy that fails
// loses no visit.
package planner

// Package settings reads settings from the environment and a configuration file, and converts
// them to the options of other packages.
//
// A [Source] gives values to settings, each through the parser of its flag; flags of the command
// line are parsed first and take precedence. [Settings] holds the values as written; its methods
// check them and return the options of a visitor, a crew and a frontier. Every error that a
// setting causes is an [*Error]. Messages name a setting with [Settings.Named].
package settings

// Package settings says what settings mean: it reads them from an environment and a
// configuration file, and works out of them what other packages are to be started with.
//
// A [Source] gives values to settings, each through the parser that its flag has, so
// that whoever parses a command line first wins. [Settings] has them as written; its
// methods check them and return the options of a visitor, a crew and a frontier. Every
// error that a setting is to blame for is an [*Error]. Messages call a setting as
// [Settings.Named] does.
package settings

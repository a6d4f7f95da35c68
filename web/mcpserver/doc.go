// Package mcpserver lets assistants and agents ask an archive, by the Model Context Protocol
// (https://modelcontextprotocol.io): what a page said at a time, what changed between two dates, when a sentence came and when
// it went.
//
// Answers are small: at most [MaxAnswer] bytes, which are about 2,000 tokens, with a cursor for the rest. Reading
// changes nothing; only [Options.Archive] lets an assistant have a page archived.
//
// Text of archived pages is written by strangers, and may be meant to instruct an assistant. It stands in JSON strings of
// fields named quote, old, new and text alone, and the description of every tool says that they are quoted.
package mcpserver

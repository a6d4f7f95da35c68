// Package output prints the contents of the archive and the results of visits at a terminal:
// versions and their blocks as trees, the changes between two versions, the reasons why nodes of
// a page are blocks, and the lines of a batch.
//
// Everything goes to a [terminal.Screen], which keeps the first write error. Text from pages is
// made safe for a terminal here.
package output

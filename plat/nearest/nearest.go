// Package nearest finds the word that a user may have meant by a misspelt one.
package nearest

import "strings"

// Of returns the most similar of names, or the only one that begins with name; empty if none is similar
// enough for a typing error.
func Of(name string, names []string) (near string) {
	least := 1 + max(1, len(name)/4)
	for _, n := range names {
		if d := edits(name, n); d < least && n != "" {
			near, least = n, d
		}
	}
	if near == "" {
		near = begun(name, names)
	}
	return near
}

// begun returns the only one of names that begins with name, empty if there are none or several.
func begun(name string, names []string) (one string) {
	const least = 3 // fewer characters may begin anything
	for _, n := range names {
		if len(name) < least || !strings.HasPrefix(n, name) {
			continue
		}
		if one != "" {
			return ""
		}
		one = n
	}
	return one
}

// Question returns a part of an error message: " (did you mean main?)", or nothing if no name is similar
// enough. before is written before the name, as the dashes of a flag.
func Question[T ~string](name, before string, names []T) string {
	all := make([]string, len(names))
	for i := range names {
		all[i] = string(names[i])
	}
	near := Of(strings.ToLower(name), all)
	if near == "" {
		return ""
	}
	return " (did you mean " + before + near + "?)"
}

// edits counts the characters to be inserted, deleted, replaced, or swapped with the next one, to
// make b of a (the optimal string alignment distance).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

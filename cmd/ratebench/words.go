package main

import (
	"fmt"
	"strings"
)

// splitWords splits a command into its words at blanks. What stands between two
// ' or two " is kept together as it is; nothing else is special. There is at
// least one word, and it is not empty.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inside, quote := false, rune(0) // a word; quotes
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			inside, quote = true, c
		case c == ' ' || c == '\t':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			inside = true
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q: the closing %c is missing", text, quote)
	}
	if inside {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%q: want a command", text)
	}
	return words, nil
}

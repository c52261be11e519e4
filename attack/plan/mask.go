package plan

import "strings"

// maskUserinfo replaces everything between :// and @ of a well-formed URL by ***.
func maskUserinfo(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	at := strings.LastIndex(authority, "@")
	if at < 0 {
		return text
	}
	return scheme + "://***" + rest[at:]
}

// maskFaulty masks a text that is not a well-formed URL: whatever stands before
// its last @ may be a password.
func maskFaulty(text string) string {
	at := strings.LastIndex(text, "@")
	if at < 0 {
		return text
	}
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(strings.ToLower(text), scheme) {
			return scheme + "***" + text[at:]
		}
	}
	return "***" + text[at:]
}

package plan

import (
	"net/textproto"
	"strings"
)

// maskURL masks a URL that may or may not be well-formed.
func maskURL(text string) string {
	if _, err := parseURL(text); err != nil {
		return maskFaulty(text)
	}
	return maskUserinfo(text)
}

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

// maskField masks a text that was to be a header line but is none, for a secret
// field from the end of its first word on.
func maskField(text string) string {
	line := strings.TrimSpace(text)
	end := strings.IndexAny(line, " \t:=")
	if end >= 0 && isSecret(line[:end]) {
		return line[:end] + " ***"
	}
	return maskFaulty(text)
}

// isSecret says whether the value of a field of that name must not be shown.
func isSecret(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Authorization", "Proxy-Authorization", "Cookie":
		return true
	}
	return false
}

package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"ratebench/attack/plan"
)

// reader takes values out of a parsed file. It does not stop at a fault: a value
// that cannot be read leaves what was there before, so that nothing follows from it.
type reader struct{ faults }

// keys are what a mapping may hold and what takes each value in.
type keys map[string]func(ast.Node)

// mapping reads a mapping and returns where everything stands in it.
func (r *reader) mapping(node ast.Node, what string, known keys) places {
	at := places{"": placeOf(node)}
	var members []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		members = n.Values
	case *ast.MappingValueNode:
		members = []*ast.MappingValueNode{n}
	default:
		r.add(at[""], "%s: want a mapping of keys to values, not %s", what, kind(node))
		return at
	}
	for _, member := range members {
		r.member(member, what, known, at)
	}
	return at
}

func (r *reader) member(member *ast.MappingValueNode, what string, known keys, at places) {
	key, where := member.Key.GetToken().Value, placeOf(member.Key)
	if _, merge := member.Key.(*ast.MergeKeyNode); merge {
		r.add(where, "%s: keys cannot be merged (<<): write them out", what)
		return
	}
	read, is := known[key]
	switch {
	case !is:
		r.add(where, "%s: unknown key %s: want %s", what, quoted(key), known)
	case at.has(key):
		r.add(where, "%s: %s is given twice, before on line %d", what, key, at[key].line)
	default:
		at[key] = placeOf(member.Value)
		read(member.Value)
	}
}

// String names all keys.
func (k keys) String() string {
	var names []string
	for name := range k {
		names = append(names, name)
	}
	slices.Sort(names)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// each reads a sequence.
func (r *reader) each(what string, read func(ast.Node)) func(ast.Node) {
	return func(node ast.Node) {
		sequence, is := node.(*ast.SequenceNode)
		if !is {
			r.add(placeOf(node), "%s: want a list, not %s", what, kind(node))
			return
		}
		for _, value := range sequence.Values {
			read(value)
		}
	}
}

// scalar is the text of a single value as it was written, without quotes. What a
// number looks like is left as it stands: a name may be 8080.
func (r *reader) scalar(node ast.Node, key, want string) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	}
	r.add(placeOf(node), "%s: want %s, not %s", key, want, kind(node))
	return "", false
}

func (r *reader) text(key string, to *string) func(ast.Node) {
	return func(node ast.Node) {
		if text, is := r.scalar(node, key, "a text"); is {
			*to = strings.TrimSpace(text)
		}
	}
}

// parsed reads a value that parse makes of a text.
func parsed[V any](r *reader, key, want string, to *V, parse func(string) (V, error)) func(ast.Node) {
	return func(node ast.Node) {
		text, is := r.scalar(node, key, want)
		if !is {
			return
		}
		value, err := parse(text)
		if err != nil {
			r.add(placeOf(node), "%s: %v", key, err)
			return
		}
		*to = value
	}
}

func (r *reader) whole(key string, to *int) func(ast.Node) {
	const want = "a whole number"
	return parsed(r, key, want, to, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%s: want %s", quoted(text), want)
		}
		return n, nil
	})
}

func (r *reader) count(key string, to *uint64) func(ast.Node) {
	const want = "a whole number, not below 0"
	return parsed(r, key, want, to, func(text string) (uint64, error) {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return 0, fmt.Errorf("%s: want %s", quoted(text), want)
		}
		return n, nil
	})
}

func (r *reader) seconds(key string, to *plan.Seconds) func(ast.Node) {
	return parsed(r, key, "a time like 2s or 250ms", to, plan.ParseSeconds)
}

func (r *reader) rate(key string, to *plan.Rate) func(ast.Node) {
	return parsed(r, key, "a rate", to, plan.ParseRate)
}

func (r *reader) truth(key string, to *bool) func(ast.Node) {
	return func(node ast.Node) {
		truth, is := node.(*ast.BoolNode)
		if !is {
			r.add(placeOf(node), "%s: want true or false, not %s", key, kind(node))
			return
		}
		*to = truth.Value
	}
}

// optional reads a value that may be absent.
func optional[V any](to **V, read func(*V) func(ast.Node)) func(ast.Node) {
	return func(node ast.Node) {
		*to = new(V)
		read(*to)(node)
	}
}

// placeOf is where a node begins. A mapping's own token is its first colon.
func placeOf(node ast.Node) place {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOf(n.Values[0])
		}
	case *ast.MappingValueNode:
		return placeOf(n.Key)
	}
	token := node.GetToken()
	if token == nil || token.Position == nil {
		return place{}
	}
	return place{token.Position.Line, token.Position.Column}
}

// kind is what a node is, for people.
func kind(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or alias: write the value out"
	case *ast.TagNode:
		return "a tag"
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return quoted(n.GetToken().Value)
	}
	return "this"
}

// quoted is a text that came from outside, short and without what a terminal obeys.
func quoted(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

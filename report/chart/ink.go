package chart

import (
	"fmt"
	"image/color"
	"strings"
)

// Ink is a colour by its role: it has one value on white paper and another on a
// dark page. As a color.Color it is the one on paper.
type Ink uint8

const (
	Text Ink = iota
	Faint
	Grid
	Paper
	Blue
	Orange
	Green
	Vermillion
	Purple
	Sky
	Grey
	Wash // a surface behind curves
	inks
)

// The curves' colours are those of Okabe and Ito (Color Universal Design, 2008),
// which readers of all kinds of colour vision tell apart. On the dark page they
// are lighter, in the same order of lightness.
var (
	onPaper = [inks]uint32{
		0x1A1C1F, 0x565C64, 0xE1E4E8, 0xFFFFFF, 0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x868E96, 0xD6E6F2,
	}
	onDark = [inks]uint32{
		0xE8EAED, 0xA8AEB6, 0x2C3137, 0x15181B, 0x4BA6E8, 0xF2B134, 0x35C59A, 0xFF8340, 0xE5A3C9, 0xA0D8F7, 0x8A929B, 0x1F3A50,
	}
)

// RGBA makes Ink a color.Color, opaque.
func (i Ink) RGBA() (r, g, b, a uint32) {
	v := onPaper[i]
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}.RGBA()
}

// Curves are the inks to tell n curves apart with, in order, again from the first
// where they run out.
func Curves(n int) []Ink {
	wheel := []Ink{Blue, Orange, Green, Vermillion, Purple, Sky, Text, Grey}
	all := make([]Ink, n)
	for i := range all {
		all[i] = wheel[i%len(wheel)]
	}
	return all
}

// CSS is what a page needs that holds charts made by Inline: the variables
// --ink0 and so on for both themes, paper when printed, and the classes.
func CSS() string {
	var b strings.Builder
	fmt.Fprintf(&b, ":root{color-scheme:light dark;%s}\n", variables(&onPaper))
	fmt.Fprintf(&b, "@media screen and (prefers-color-scheme:dark){:root{%s}}\n", variables(&onDark))
	for i := range inks {
		fmt.Fprintf(&b, ".s%d{stroke:var(--ink%d);fill:none}.f%d{fill:var(--ink%d)}", i, i, i, i)
	}
	b.WriteString("\n.chart{display:block;width:100%;height:auto}\n" +
		".chart text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}\n" +
		".chart .h{fill:transparent}.chart .h:hover{fill:var(--ink0);fill-opacity:.09}\n")
	return b.String()
}

func variables(values *[inks]uint32) string {
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "--ink%d:#%06X;", i, v)
	}
	return b.String()
}

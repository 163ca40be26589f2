package main

import (
	"fmt"
	"html"
	"strings"
)

// A canvas is a diagram of boxes and arrows. Its colors follow the dark mode of the reader's
// system. The documentation's site makes a light and a dark drawing of it, for its own switch
// (docs/site/pictures.py).
type canvas struct {
	width, height int
	body          strings.Builder
}

// These are the kinds of boxes, with their fill and border colors, and some sizes in
// pixels.
const (
	goSide = "g" // memory that Go's collector sees
	native = "n" // memory that the collector does not see
	freed  = "x" // values that the end of a scope frees
	kept   = "k" // values that outlive the scope
	frame  = "f" // a scope, a process
	lines  = 17  // distance between lines of text
	inset  = 14  // distance between a frame and its title
	style  = `.g{fill:#eaf6ec;stroke:#3f8f4f} .n{fill:#eef3fb;stroke:#4a6fa5} .k{fill:#fdf3e2;stroke:#b97a1b} ` +
		`.x{fill:#fbeeee;stroke:#b04a4a} .f{fill:none;stroke:#888;stroke-dasharray:5 4} ` +
		`.a{stroke:#444;fill:none;marker-end:url(#h)} ` +
		`.w{stroke:#888;stroke-dasharray:4 3;fill:none;marker-end:url(#h)} ` +
		`.o{fill:#4a6fa5} .p{fill:#c9ced6} .h{fill:#444} .page{fill:#fff} ` +
		`text{fill:#222} .c{font-family:monospace} .s{fill:#555;font-size:12px}`
	dark = `.g{fill:#1d3323;stroke:#6fbf7f} .n{fill:#1e2a3d;stroke:#7fa3d9} .k{fill:#3a2e17;stroke:#d9a04a} ` +
		`.x{fill:#3b2222;stroke:#d98080} .f{stroke:#8a8f98} .a{stroke:#b5bac2} .w{stroke:#8a8f98} ` +
		`.o{fill:#7fa3d9} .p{fill:#4a505a} .h{fill:#b5bac2} .page{fill:#131416} text{fill:#e4e6ea} .s{fill:#a8adb6}`
	header = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" ` +
		`font-size="13" role="img" aria-label="%[3]s">
<title>%[3]s</title>
<style>%[4]s @media (prefers-color-scheme:dark){%[5]s}</style>
<defs><marker id="h" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path class="h" d="M0 0L8 4L0 8z"/></marker></defs>
<rect class="page" width="%[1]d" height="%[2]d" rx="6"/>
`
)

// svg returns the SVG file.
func (c *canvas) svg(title string) string {
	return fmt.Sprintf(header, c.width, c.height, html.EscapeString(title), style, dark) + c.body.String() + "</svg>\n"
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.body, format+"\n", args...) }

// box draws a box with centered lines of text.
func (c *canvas) box(kind string, x, y, w, h int, text ...string) {
	c.add(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, kind, x, y, w, h)
	top := y + h/2 - (len(text)-1)*lines/2 + 5
	for i, line := range text {
		c.text(x+w/2, top+i*lines, "middle", line)
	}
}

// group draws a dashed frame with its title at the top left.
func (c *canvas) group(x, y, w, h int, title string) {
	c.box(frame, x, y, w, h)
	c.text(x+inset, y+lines+3, "start", title)
}

// text draws one line of text. Text in backquotes is drawn as code, and text after "~ "
// as a remark in small type.
func (c *canvas) text(x, y int, anchor, line string) {
	class := ""
	if remark, ok := strings.CutPrefix(line, "~ "); ok {
		class, line = ` class="s"`, remark
	}
	var inner strings.Builder
	for i, part := range strings.Split(line, "`") {
		if i%2 == 1 {
			fmt.Fprintf(&inner, `<tspan class="c">%s</tspan>`, html.EscapeString(part))
		} else {
			inner.WriteString(html.EscapeString(part))
		}
	}
	c.add(`<text%s x="%d" y="%d" text-anchor="%s">%s</text>`, class, x, y, anchor, inner.String())
}

// arrow draws a line with an arrowhead. Lines of weak arrows are dashed.
func (c *canvas) arrow(x1, y1, x2, y2 int) {
	c.add(`<path class="a" d="M%d %dL%d %d"/>`, x1, y1, x2, y2)
}

func (c *canvas) weak(x1, y1, x2, y2 int) {
	c.add(`<path class="w" d="M%d %dL%d %d"/>`, x1, y1, x2, y2)
}

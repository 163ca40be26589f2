package harness

import (
	"fmt"
	"html"
	"strings"
)

// The chart of all pairs has one line per pair. Its bars show the time and the native
// memory of the Go program relative to the Python program.
const (
	pictureNames = 230  // where the names end
	pictureTime  = 245  // x coordinate where the bars of time begin
	picturePeak  = 575  // x coordinate where the bars of memory begin
	pictureUnit  = 200  // length of a bar for the ratio 1, which means the same as in Python
	pictureMost  = 1.35 // ratio of the longest bar; larger ratios are only written beside it
	pictureLine  = 20
	pictureTop   = 60
)

const pictureStyle = `.t{fill:#4a6fa5} .p{fill:#3f8f4f} .u{fill:#b97a1b} .one{stroke:#888;stroke-dasharray:4 3} ` +
	`.page{fill:#fff} text{fill:#222} .v{fill:#555;font-size:10px} .h{font-weight:bold} ` +
	`@media (prefers-color-scheme:dark){.t{fill:#7fa3d9} .p{fill:#6fbf7f} .u{fill:#d9a04a} .page{fill:#131416} ` +
	`text{fill:#e4e6ea} .v{fill:#a8adb6}}`

// TwinsPicture returns a chart of pairs as SVG. Its colors follow the dark mode of the reader's
// system.
func TwinsPicture(pairs []Pair) string {
	const title = "The examples compared with Python: time of a step and peak of native memory, relative to Python's"
	height := pictureTop + pictureLine*len(pairs) + 15
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 %[1]d" font-family="sans-serif" font-size="12" `+
			`role="img" aria-label="%[2]s">
<title>%[2]s</title>
<style>%[3]s</style>
<rect class="page" width="900" height="%[1]d" rx="6"/>
`, height, html.EscapeString(title), pictureStyle)
	text := func(class string, x, y float64, anchor, s string) {
		fmt.Fprintf(&b, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>\n", class, x, y, anchor,
			html.EscapeString(s))
	}
	bar := func(class string, x, y, h, ratio float64) {
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"/>\n", class, x, y,
			min(ratio, pictureMost)*pictureUnit, h)
		text("v", x+min(ratio, pictureMost)*pictureUnit+3, y+h, "start", fmt.Sprintf("%.2f", ratio))
	}
	text("h", pictureTime, 20, "start", "time of a number")
	text("h", picturePeak, 20, "start", "peak of native memory")
	text("", pictureTime, 37, "start", "Go, where Python takes 1")
	text("", picturePeak, 37, "start", "with scopes (green), with none (brown)")
	for i, p := range pairs {
		y := float64(pictureTop + i*pictureLine)
		text("", pictureNames, y+11, "end", strings.TrimPrefix(p.Name, "pytorch/"))
		if p.timed() && p.Ours.Rate > 0 {
			bar("t", pictureTime, y+3, 9, p.Python.Rate/p.Ours.Rate)
		}
		if p.Python.Peak > 0 {
			bar("p", picturePeak, y+1, 7, float64(p.Ours.Peak)/float64(p.Python.Peak))
			if p.Scoped == "" {
				bar("u", picturePeak, y+9, 7, float64(p.Unscoped.Peak)/float64(p.Python.Peak))
			}
		}
	}
	for _, x := range []int{pictureTime, picturePeak} {
		fmt.Fprintf(&b, "<path class=\"one\" d=\"M%[1]d %[2]dV%[3]d\"/>\n", x+pictureUnit, pictureTop-8, height-10)
	}
	return b.String() + "</svg>\n"
}

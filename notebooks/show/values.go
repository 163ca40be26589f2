package show

import (
	"fmt"
	"html"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const left = ` style="text-align:left"`

// tensor returns the text that Python prints for t, followed by the tensor's properties.
func tensor(t *torch.Tensor) string {
	body := "<pre>" + html.EscapeString(t.String()) + "</pre>"
	if t == nil {
		return body
	}
	_ = torch.Try(func() { // a closed tensor has no properties
		body += "<small>" + facts(t) + "</small>"
	})
	return body
}

func facts(t *torch.Tensor) string {
	list := []string{t.DType().String(), "shape " + t.Shape().String()}
	if t.Layout() == torch.Strided && t.Dim() > 0 {
		list = append(list, fmt.Sprint("stride ", torch.Shape(t.Stride())))
		if !t.IsContiguous() {
			list = append(list, "not contiguous")
		}
	}
	return strings.Join(append(list, t.Device().String()), " &middot; ")
}

// readable returns the tree of a module and its submodules, with their parameter counts.
// The tree is collapsed from the third level on. ok is false for modules whose methods
// panic: a nil pointer, and a module that was not created by its constructor.
func readable(m nn.Module) (text, body string, ok bool) {
	defer func() { ok = recover() == nil }()
	var b strings.Builder
	branch(&b, "", m, 0)
	return m.String(), b.String(), true
}

func branch(b *strings.Builder, name string, m nn.Module, depth int) {
	base := m.ModuleBase()
	children := base.Children()
	line := "<code>" + html.EscapeString(head(name, m, len(children) > 0)) + "</code>" + count(m)
	if len(children) == 0 {
		fmt.Fprintf(b, "<div style=\"margin-left:1.1em\">%s</div>", line)
		return
	}
	open := ""
	if depth < 2 {
		open = " open"
	}
	fmt.Fprintf(b, "<details%s style=\"margin-left:%.1fem\"><summary>%s</summary>", open, min(float64(depth), 1)*1.1,
		line)
	for _, c := range children {
		branch(b, c.Name, c.Module, depth+1)
	}
	b.WriteString("</details>")
}

// head returns the line for m: the whole text if m has no submodules, otherwise only the
// type.
func head(name string, m nn.Module, parent bool) string {
	text := m.String()
	if parent {
		text = m.ModuleBase().TypeName()
	}
	if name != "" {
		text = "(" + name + ") " + text
	}
	return text
}

func count(m nn.Module) string {
	var n, frozen int64
	for _, p := range m.Parameters() {
		n += p.Numel()
		if !p.RequiresGrad() {
			frozen += p.Numel()
		}
	}
	switch {
	case n == 0:
		return ""
	case frozen == 0:
		return fmt.Sprintf(" <small>%s parameters</small>", thousands(n))
	}
	return fmt.Sprintf(" <small>%s parameters, %s frozen</small>", thousands(n), thousands(frozen))
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// tensorList returns a list like Python's, with the properties of each tensor.
func tensorList(ts []*torch.Tensor) Content {
	texts, body := make([]string, len(ts)), ""
	for i, t := range ts {
		texts[i] = t.String()
		body += fmt.Sprintf("<div><code>[%d]</code>%s</div>", i, tensor(t))
	}
	return page("["+strings.Join(texts, ",\n ")+"]", body)
}

func named(sd []nn.NamedTensor) string {
	rows := [][]string{{"name", "dtype", "shape", "elements"}}
	for _, e := range sd {
		row := []string{e.Name, "", "", ""}
		if torch.Try(func() {
			row = []string{e.Name, e.Tensor.DType().String(), e.Tensor.Shape().String(), thousands(e.Tensor.Numel())}
		}) != nil {
			row[1] = "closed"
		}
		rows = append(rows, row)
	}
	return grid(rows)
}

// grid returns an HTML table. The first row of rows is its header.
func grid(rows [][]string) string {
	var b strings.Builder
	b.WriteString("<table>")
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, left, html.EscapeString(cell), tag)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

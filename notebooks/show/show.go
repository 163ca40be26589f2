// Package show converts values of gotorch for display in a notebook: HTML for tensors,
// modules, tables and pages, and graphics for curves, images and storages. gotorch's
// Jupyter kernel calls [Render] for the last value of each cell, so to show a value, end
// a cell with it.
package show

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/summary"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// Content types, with the names that notebooks use for them.
const (
	Text = "text/plain"
	HTML = "text/html"
	PNG  = "image/png"
	SVG  = "image/svg+xml"
)

// Content is one value in several forms. A notebook shows the richest form that it
// supports. Each key is a content type. A PNG image is a []byte; all other forms are
// strings.
type Content map[string]any

// String returns the plain text of c.
func (c Content) String() string { return fmt.Sprint(c[Text]) }

// Render returns v's content. It supports [Content], tensors and slices of them, modules,
// named parameters, state dicts, summaries, memory snapshots, and profiles with their
// tables. For any other value it returns nil, and the notebook shows the value's text.
// Render never panics: the content of a nil or closed tensor reports that the tensor is
// nil or closed.
func Render(v any) Content {
	switch v := v.(type) {
	case Content:
		return v
	case *torch.Tensor:
		return page(v.String(), tensor(v))
	case []*torch.Tensor:
		return tensorList(v)
	case []nn.NamedTensor:
		return page(fmt.Sprint(v), named(v))
	case nn.StateDict:
		return page(v.String(), named(v))
	case summary.Summary, *profiler.Profile, *profiler.EventList, *profiler.AverageList:
		text := fmt.Sprint(v)
		return page(text, "<pre>"+html.EscapeString(text)+"</pre>") // <pre> because it does not wrap lines
	case *memory.SnapshotData:
		if v != nil {
			return Snapshot(v, 500)
		}
	case nn.Module:
		if text, tree, ok := readable(v); ok {
			return page(text, tree)
		}
	}
	return nil
}

func page(text, body string) Content {
	return Content{Text: text, HTML: body}
}

// Plot draws the panels below one another with a common x axis, as plot.Save does. It
// panics with ErrValue if a line has x and y values of different lengths.
func Plot(xLabel string, panels ...plot.Panel) Content {
	var b bytes.Buffer
	if err := plot.Write(&b, "svg", xLabel, panels...); err != nil {
		panic(torch.NewError("show.Plot(xLabel, panels)", torch.ErrValue, "panels", err.Error()))
	}
	labels := make([]string, len(panels))
	for i, p := range panels {
		labels[i] = p.Label
	}
	return Content{Text: "a plot of " + strings.Join(labels, ", ") + " over " + xLabel, SVG: b.String()}
}

// Curve draws one curve. Its x values are 1, 2, 3 and so on.
func Curve(xLabel, yLabel string, y []float64) Content {
	return Plot(xLabel, plot.Panel{Label: yLabel, Lines: []plot.Line{{Y: y}}})
}

// Frame shows a whole HTML page in a frame. height is in pixels.
func Frame(document string, height int) Content {
	return page("a page of "+fmt.Sprint(len(document))+" bytes", fmt.Sprintf(
		`<iframe sandbox="allow-scripts" srcdoc="%s" width="100%%" height="%d" style="border:1px solid #ccc"></iframe>`,
		html.EscapeString(document), height))
}

// Snapshot shows the page of plot.WriteSnapshot in a frame, with a height in pixels. It
// panics with ErrNil for nil.
func Snapshot(s *memory.SnapshotData, height int) Content {
	var b strings.Builder
	if err := plot.WriteSnapshot(&b, "snapshot", s); err != nil {
		panic(torch.NewError("show.Snapshot(s, height)", torch.ErrNil, "s", err.Error()))
	}
	c := Frame(b.String(), height)
	c[Text] = s.String()
	return c
}

package memory

import (
	"fmt"
	"strings"
)

// Alert reports that a quantity has begun to grow in a way that suggests a leak. It names
// the lines of the program that caused most of the growth.
type Alert struct {
	Trend
	// Lines are the lines of code that allocated the additional memory, for NativeBytes,
	// or that created the additional tensors, for OpenTensors. The lines that grew most
	// come first. The lines for memory are known only while [RecordHistory] is on, and
	// the lines for tensors only while [TrackTensors] is on.
	Lines []Growth
	// Objects is the growth in graph nodes, for OpenNodes, or in other objects, for
	// OpenObjects. Graph nodes are grouped by the line that created the tensor that holds
	// them, and other objects by the line that created them.
	Objects []ObjectGroup
	// Hint is a sentence that says how to find the lines, if they are not known.
	Hint string
}

// String returns the trend as one line, followed by the lines of the program that grew or
// by the hint.
func (a Alert) String() string {
	var b strings.Builder
	b.WriteString(a.Trend.String())
	for _, line := range a.locations() {
		b.WriteString("\n" + line)
	}
	if a.Hint != "" {
		b.WriteString("\n" + a.Hint)
	}
	return b.String()
}

// locations returns Lines or Objects as text.
func (a Alert) locations() []string {
	var out []string
	for _, g := range a.Lines {
		out = append(out, g.String())
	}
	for _, o := range a.Objects {
		out = append(out, fmt.Sprintf("+%v", o))
	}
	return out
}

package memory

import (
	"fmt"
	"strings"
)

// Alert reports that a quantity has begun to leak, and which lines of the program hold most
// of its growth.
type Alert struct {
	Trend
	// Lines are the lines that allocated the added memory, for NativeBytes, or created the
	// added tensors, for OpenTensors. The lines that grew most come first. For memory they
	// are known only while [RecordHistory] is on, and for tensors only while [TrackTensors]
	// is on.
	Lines []Growth
	// Objects is the growth in graph nodes or in other objects, for OpenNodes or OpenObjects,
	// by the line that created them or the tensor that holds them.
	Objects []ObjectGroup
	// Hint is one sentence on how to find the lines, if they are not known.
	Hint string
}

// String returns the trend as one line, and below it the lines of the program that grew, or
// the hint.
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

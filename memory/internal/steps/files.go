package steps

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// record is a Step as it is written to files. Its units are bytes and seconds.
type record struct {
	Step           int     `json:"step"`
	Steps          int     `json:"steps"`
	Name           string  `json:"name"`
	Start          int64   `json:"start"`
	End            int64   `json:"end"`
	Peak           int64   `json:"peak"`
	PeakAllocated  int64   `json:"peak_allocated"`
	Reserved       int64   `json:"reserved"`
	Resident       int64   `json:"resident"`
	Allocations    int64   `json:"allocations"`
	AllocatedBytes int64   `json:"allocated_bytes"`
	Seconds        float64 `json:"seconds"`
}

// columns are the names of a record's numbers, in order. Nothing changes this variable.
var columns = []string{
	"step", "steps", "name", "start", "end", "peak", "peak_allocated", "reserved", "resident",
	"allocations", "allocated_bytes", "seconds",
}

func (s Step) file() record {
	return record{
		Step: s.Number, Steps: s.Steps, Name: s.Name, Start: s.Start, End: s.End, Peak: s.Peak,
		PeakAllocated: s.PeakAllocated, Reserved: s.Reserved, Resident: s.Resident,
		Allocations: s.Allocations, AllocatedBytes: s.AllocatedBytes, Seconds: s.Duration.Seconds(),
	}
}

// WriteJSON writes the records as an array of objects, one per line. The numbers are bytes,
// counts and seconds. If a record stands for several steps, "steps" is above 1.
func WriteJSON(w io.Writer, steps []Step) error {
	for i, s := range steps {
		line, err := json.Marshal(s.file())
		if err != nil {
			return err
		}
		lead := ",\n"
		if i == 0 {
			lead = "[\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", lead, line); err != nil {
			return err
		}
	}
	end := "\n]\n"
	if len(steps) == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// WriteCSV writes the records as comma-separated values. The header line has the names
// that WriteJSON uses.
func WriteCSV(w io.Writer, steps []Step) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for _, s := range steps {
		r := s.file()
		row := []string{strconv.Itoa(r.Step), strconv.Itoa(r.Steps), r.Name}
		for _, n := range []int64{
			r.Start, r.End, r.Peak, r.PeakAllocated, r.Reserved, r.Resident, r.Allocations,
			r.AllocatedBytes,
		} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		if err := c.Write(append(row, strconv.FormatFloat(r.Seconds, 'g', -1, 64))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

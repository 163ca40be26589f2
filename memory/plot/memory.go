package plot

import "github.com/gotorch/gotorch/memory"

const mib = 1 << 20

// Steps returns a panel of a Tracker's records. For each step it shows the peak of the live
// bytes, and the live and the reserved bytes at the end of the step.
func Steps(records []memory.StepUsage) Panel {
	n := len(records)
	x, peak, end, reserved := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, r := range records {
		x[i] = float64(r.Step + r.Steps) // the record's last step; the first step is 1
		peak[i] = float64(r.Peak) / mib
		end[i] = float64(r.End) / mib
		reserved[i] = float64(r.Reserved) / mib
	}
	return Panel{Label: "native memory, MiB", FromZero: true, Lines: []Line{
		{Label: "peak of a step", X: x, Y: peak},
		{Label: "alive at its end", X: x, Y: end},
		{Label: "reserved", X: x, Y: reserved},
	}}
}

// Samples returns two panels of a Monitor's samples: one of native, resident and Go
// bytes, and one of the number of tensors. The x axis is the time in seconds since
// the first sample.
func Samples(samples []memory.Sample) []Panel {
	n := len(samples)
	x, native, resident := make([]float64, n), make([]float64, n), make([]float64, n)
	heap, tensors := make([]float64, n), make([]float64, n)
	for i, s := range samples {
		x[i] = s.Time.Sub(samples[0].Time).Seconds()
		native[i] = float64(s.Native) / mib
		resident[i] = float64(s.Resident) / mib
		heap[i] = float64(s.GoHeap) / mib
		tensors[i] = float64(s.Tensors)
	}
	return []Panel{
		{Label: "memory, MiB", FromZero: true, Lines: []Line{
			{Label: "resident", X: x, Y: resident},
			{Label: "native", X: x, Y: native},
			{Label: "Go heap", X: x, Y: heap},
		}},
		{Label: "open tensors", FromZero: true, Lines: []Line{{X: x, Y: tensors}}},
	}
}

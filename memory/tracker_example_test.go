package memory_test

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func ExampleTracker() {
	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	for range 3 {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{1 << 18}) // 1 MiB
			x.Add(x)                              // creates another MiB
		})
		t.Step("add")
	}
	for _, s := range t.Steps() {
		fmt.Println(s.Step, s.PeakGrowth(), s.Net(), s.Allocations)
	}
	// Output:
	// 0 2097152 0 2
	// 1 2097152 0 2
	// 2 2097152 0 2
}

func ExampleTracker_Report() {
	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	var kept []*torch.Tensor
	for range 5 {
		kept = append(kept, torch.Zeros(torch.Shape{256}))
		t.Step("leak")
	}
	report := strings.Fields(t.Report())
	fmt.Println(strings.Join(report[:6], " "))
	fmt.Println("grown by", strings.Join(report[len(report)-6:len(report)-2], " "), "per step")
	for _, x := range kept {
		_ = x.Close()
	}
	// Output:
	// memory on cpu in 5 steps
	// grown by +4.0 KiB +1.0 KiB per step
}

func ExampleTracker_WriteCSV() {
	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	torch.Scope(func() { torch.Ones(torch.Shape{10}) })
	t.Step("first")
	var csv strings.Builder
	if err := t.WriteCSV(&csv); err != nil {
		fmt.Println(err)
	}
	header, row, _ := strings.Cut(csv.String(), "\n")
	fmt.Println(header)
	fmt.Println(row[:len("0,1,first")])
	// Output:
	// step,steps,name,start,end,peak,peak_allocated,reserved,resident,allocations,allocated_bytes,seconds
	// 0,1,first
}

func ExampleManaged() {
	before := memory.Requested(torch.CPU)
	memory.Managed(func() {
		x := torch.Ones(torch.Shape{1 << 20})
		fmt.Println(x.Sum().Item())
	})
	fmt.Println(memory.Requested(torch.CPU) - before)
	// Output:
	// 1.048576e+06
	// 0
}

package harness

// A Measure is one measurement. Its group repeats it in each round.
type Measure struct {
	// ID identifies the measure in its group.
	ID string
	// By is the contestant that runs the measure, by its name in contestants.
	By string
	// Case, Iterations and Args are the request; see the package comment.
	Case       string
	Iterations int
	Args       []string
	// Fresh requests a new process for each run.
	Fresh bool
	// Program marks a contestant that is a whole program: Args are its arguments, and
	// Case and Iterations are not used.
	Program bool
}

// A Value is one side of a row's comparison. It is a value in the answer of measure ID,
// or the constant Const.
type Value struct {
	ID    string
	Key   string // name of the value in the answer; empty: nanoseconds per iteration
	Scale float64
	Const float64
}

// A Row is one line of the result.
type Row struct {
	Name string
	Unit string
	Ours Value
	Peer Value
	// PeerName describes the peer in a few words.
	PeerName string
}

// A Group is a set of measures that take turns, and the rows that compare them.
type Group struct {
	Measures []Measure
	Rows     []Row
	// MaxRounds limits the number of rounds of a slow group; 0 means no limit.
	MaxRounds int
}

// time returns the Value for the nanoseconds per iteration of the measure with this id.
func time(id string) Value { return Value{ID: id} }

// named returns the Value called key in the answer of the measure with this id.
func named(id, key string) Value { return Value{ID: id, Key: key} }

// bound returns the Value for a constant.
func bound(v float64) Value { return Value{Const: v} }

// resolve returns the value of v from the results of all rounds. It returns false if the
// measure failed or its answer does not contain v.Key.
func (v Value) resolve(g Group, results map[string][]Result) (float64, bool) {
	if v.ID == "" {
		return v.Const, true
	}
	iterations := 1
	for _, m := range g.Measures {
		if m.ID == v.ID {
			iterations = max(m.Iterations, 1)
		}
	}
	var values []float64
	for _, r := range results[v.ID] {
		value := r.Nanoseconds / float64(iterations)
		if v.Key != "" {
			named, ok := r.Extra[v.Key]
			if !ok {
				return 0, false
			}
			value = named
		}
		if v.Scale != 0 {
			value *= v.Scale
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return 0, false
	}
	return Median(values), true
}

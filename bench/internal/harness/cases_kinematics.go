package harness

// kinematics compares examples/kinematics with its reference.py, which uses
// pytorch-kinematics, on one thread in float32. The row fk is forward kinematics of an
// arm with seven joints, for 1,000 configurations. The row ik is inverse kinematics for
// 100 targets from ten starts each, with the same number of iterations in both programs.
func kinematics() Group {
	ours, python := "kinematics_ours", "kinematics_python"
	return Group{
		Measures: []Measure{
			{ID: ours, By: ours, Program: true},
			{ID: python, By: python, Program: true},
		},
		Rows: []Row{
			{"kinematics.fk.python", "ns", named(ours, "fk"), named(python, "fk"), "pytorch-kinematics"},
			{"kinematics.ik.python", "ns", named(ours, "ik"), named(python, "ik"), "pytorch-kinematics"},
		},
	}
}

// kinematicsArgs are the arguments for main.go and reference.py.
var kinematicsArgs = []string{"--bench", "--threads", "1"}

func prepareKinematicsOurs(b *Toolbox) (command, error) {
	binary, err := b.goBuild("kinematics", "examples", "./kinematics")
	return program(nil, binary, kinematicsArgs...), err
}

func prepareKinematicsPython(b *Toolbox) (command, error) {
	python, err := b.Python()
	return program(nil, python, append([]string{b.path("examples/kinematics/reference.py")}, kinematicsArgs...)...), err
}

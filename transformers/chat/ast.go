package chat

// An expr is an expression of a template.
type expr interface {
	eval(r *renderer, s *scope) any
}

// A stmt is a statement of a template.
type stmt interface {
	run(r *renderer, s *scope) flow
}

// A flow says what follows a statement.
type flow int

const (
	flowNext flow = iota
	flowBreak
	flowContinue
)

type (
	literal struct{ value any }
	name    struct {
		id   string
		line int
	}
	listExpr struct {
		items []expr
		tuple bool
	}
	dictExpr struct{ keys, values []expr }
	attrExpr struct {
		of   expr
		name string
		line int
	}
	indexExpr struct {
		of, index expr
		line      int
	}
	sliceExpr struct {
		of              expr
		low, high, step expr // or nil
		line            int
	}
	callExpr struct {
		fn   expr
		args args
		line int
	}
	filterExpr struct {
		of   expr // nil in a filter block
		name string
		args args
		line int
		fn   filter
	}
	testExpr struct {
		of   expr
		name string
		args args
		neg  bool
		line int
		fn   test
	}
	unaryExpr struct {
		op   string
		of   expr
		line int
	}
	binaryExpr struct {
		op          string
		left, right expr
		line        int
	}
	compareExpr struct {
		first expr
		ops   []string
		rest  []expr
		line  int
	}
	condExpr struct{ then, cond, otherwise expr } // otherwise may be nil
)

// args are the arguments of a call.
type args struct {
	pos   []expr
	names []string
	named []expr
	star  expr // *x, or nil
	stars expr // **x, or nil
}

type (
	dataStmt   struct{ text string }
	outputStmt struct{ value expr }
	ifStmt     struct {
		conds  []expr
		bodies [][]stmt
		other  []stmt
	}
	forStmt struct {
		targets []string
		over    expr
		cond    expr // or nil
		body    []stmt
		other   []stmt
		line    int
	}
	setStmt struct {
		targets []target
		value   expr
		body    []stmt // for a block
		filters []*filterExpr
		line    int
	}
	macroStmt struct {
		name     string
		params   []string
		defaults []expr // for the last parameters
		body     []stmt
		line     int
	}
	callStmt struct {
		macro *macroStmt // the caller
		call  *callExpr
	}
	filterStmt struct {
		filters []*filterExpr
		body    []stmt
	}
	withStmt struct {
		targets []target
		values  []expr
		body    []stmt
	}
	blockStmt struct{ body []stmt } // generation
	flowStmt  struct{ flow flow }
)

// A target is a variable, or an attribute of a namespace.
type target struct {
	name, attr string
	line       int
}

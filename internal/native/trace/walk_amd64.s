#include "textflag.h"

// func walk(buf *uintptr, most int, gp uintptr) int
//
// Assembly, because the loop must not be preempted: a stack that is moved
// meanwhile takes the frames with it. A g begins with the bounds of its stack.
TEXT ·walk(SB), NOSPLIT, $0-32
	MOVQ buf+0(FP), DI
	MOVQ most+8(FP), R10
	MOVQ gp+16(FP), SI
	MOVQ 0(SI), R8      // lowest address
	MOVQ 8(SI), R9      // highest
	SUBQ $16, R9
	MOVQ BP, BX
	XORQ CX, CX
next:
	CMPQ BX, R8
	JCS  outside
	CMPQ BX, R9
	JHI  outside
	MOVQ 8(BX), AX      // return address
	MOVQ AX, (DI)(CX*8)
	INCQ CX
	CMPQ CX, R10
	JEQ  done
	MOVQ 0(BX), DX      // the caller's frame
	TESTQ DX, DX
	JEQ  done
	CMPQ DX, BX
	JLS  outside
	MOVQ DX, BX
	JMP  next
outside:
	MOVQ $-1, CX
done:
	MOVQ CX, ret+24(FP)
	RET

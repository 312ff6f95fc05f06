/* Starts a program on a bare Cortex-M under qemu-system-arm: the vector table, and the floating-point unit, where there
   is one, on before newlib's own start, which reads arguments and files from the host (semihosting). And how deep the
   stack was: what lies below it is painted before, and looked at afterwards. */

#include <stdint.h>

enum
{
    PAINTED = 16384,
    PAINT = 0xA5
};

extern uint32_t stack_top;
void _start(void);
void start_here(void);
void paint_stack(void);
int stack_depth(void);

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[] = {(uintptr_t)&stack_top,
                                                                               (uintptr_t)start_here};

void start_here(void)
{
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb");
#endif
    _start();
}

/* nothing may lie below the stack pointer on this processor, so that both functions may use what is there */
static volatile uint8_t *stack_pointer(void)
{
    uint8_t *sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

__attribute__((noinline)) void paint_stack(void)
{
    volatile uint8_t *sp = stack_pointer();
    int i;
    for (i = 1; i <= PAINTED; i++) sp[-i] = PAINT;
}

/* bytes below the caller that were written since; PAINTED: all, so that it may have been more */
__attribute__((noinline)) int stack_depth(void)
{
    volatile uint8_t *sp = stack_pointer();
    int i = PAINTED;
    while (i > 0 && sp[-i] == PAINT) i--;
    return i;
}

/* Starts a program on a bare Cortex-M under qemu-system-arm: the vector table, and the floating-point unit on before
   newlib's own start, which reads arguments and files from the host (semihosting). */

#include <stdint.h>

extern uint32_t stack_top;
void _start(void);
void start_here(void);

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[] = {(uintptr_t)&stack_top,
                                                                               (uintptr_t)start_here};

void start_here(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb");
    _start();
}

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// How often the program asked for memory so far; negative where that is not counted.
long long allocation_count(void);

#endif

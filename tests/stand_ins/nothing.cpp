// A library that has nothing of what its name promises.
extern "C" int stagelensStandIn()
{
    return 0;
}

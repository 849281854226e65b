/* The least that starting a program costs: what the figures of start.py stand beside. */
int main(void)
{
    return 0;
}

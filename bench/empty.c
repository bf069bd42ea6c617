/* The least that a program can do: what a start costs. */
int main(void)
{
    return 0;
}

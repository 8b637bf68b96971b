#!/usr/bin/env dotnet
using System;

// Top-level statements are code, their variables are local.
var name = args.Length > 0 ? args[0] : "world";
Console.WriteLine(Greeting(name));

if (name is "test")
{
    Run(() => Console.WriteLine("test"));

    void Run(Action action)
    {
        action();
    }
}

string Greeting(string who) => $"Hello, {who}!";

[Obsolete]
static async Task<int> CountAsync<T>(
    IAsyncEnumerable<T> items)
{
    var count = 0;
    await foreach (var item in items)
    {
        count++;
    }
    return count;
}

public class Settings
{
    public static Settings Default { get; } = new();
}

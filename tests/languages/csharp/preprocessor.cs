#define TRACE
#undef DEBUG
using System;
#if NET8_0_OR_GREATER && !(MONO || UNITY)
using System.Text.Json;
#elif NETSTANDARD
using Newtonsoft.Json;
#else
#error unsupported
#endif

namespace Portable
{
#if !SILVERLIGHT
    [Serializable]
#endif
    public class Reader
    {
        #region Fields

        private const string Query = @"
            SELECT ""name""
            FROM users";

        private const string Json = """
            { "name": "value" }
            """;

        private readonly string message = $"""
            Hello {Environment.UserName}
            """;

        #endregion

#if ASYNC
        public Task<int> ReadAsync()
        {
#if TRACE
            Trace.Write("read");
#endif
            return Task.FromResult(1);
        }
#else
        public int Read() { return 1; }
#endif

#if NOTHING
        // only a comment
#endif

        public enum Mode
        {
            Text,
            Binary,
        }
    }
}

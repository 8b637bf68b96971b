using System;

namespace Lines
{
    /// <summary>Line ends of two bytes.</summary>
    [Obsolete]
    public class Crlf
    {
        #region Fields
        private int a = 1;
        #endregion

        // Gone in the signatures.
        public string Text
        {
            get { return "é"; }
        }

#if DEBUG
        public int Sum(
            int left,
            int right)
        {
            return left + right;
        }
#endif
    }
}